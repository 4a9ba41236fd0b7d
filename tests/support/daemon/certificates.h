/* A little authority for tests of TLS: PEM files in a folder.
 *
 *     ca.pem                       the authority
 *     server.pem, server.key      for localhost and 127.0.0.1, signed by it
 *     client.pem, client.key      of a client, signed by it
 *     stranger.pem, stranger.key  signed by nobody but itself
 */
#ifndef SUPPORT_DAEMON_CERTIFICATES_H
#define SUPPORT_DAEMON_CERTIFICATES_H

void certificates_make(const char *folder);

#endif
