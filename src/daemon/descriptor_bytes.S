/* The descriptors of our services (a FileDescriptorSet), as protoc wrote them; CMakeLists.txt says where. */
    .section .rodata
    .balign 16
    .globl descriptor_bytes
    .hidden descriptor_bytes
descriptor_bytes:
    .incbin "services.binpb"
    .globl descriptor_bytes_end
    .hidden descriptor_bytes_end
descriptor_bytes_end:
    .byte 0

    .section .note.GNU-stack,"",@progbits
