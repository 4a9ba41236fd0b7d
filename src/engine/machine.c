#include "engine/machine.h"

#include "backend/backend.h"
#include "base/cpu.h"
#include "base/processors.h"
#include "engine/version.h"

static void describe_backend(struct report *report, const struct backend *backend)
{
    const char *why_not = backend->unavailable();
    struct device_options options = {.curve = curve_find("bls12_381")};
    struct device_info info;
    struct device *device;
    struct cuzk_error err;

    if (why_not) {
        report_text(report, backend->name, "not available (%s)", why_not);
    } else if (backend->open(&device, &options, &err) != CUZK_OK) {
        report_text(report, backend->name, "does not open (%s)", err.message);
    } else {
        backend->info(device, &info);
        report_text(report, backend->name, "available (%s, %.1f GiB)", info.name,
                    (double)info.memory_total / (1 << 30));
        backend->close(device);
    }
}

void machine_report(struct report *report)
{
    const struct cpu_features *cpu = cpu_features();
    struct processors here;

    report_text(report, "version", "%s", CUZK_VERSION);
    processors_count(&here, "");
    report_number(report, "processors", here.online);
    report_number(report, "affinity", here.mask);
    if (here.quota > 0)
        report_text(report, "cpu_quota", "%.2f (%s)", here.quota, here.quota_from);
    else
        report_text(report, "cpu_quota", "none");
    report_number(report, "threads", here.threads);
    report_text(report, "features", "%s%s%s", cpu->mulx_adx ? "mulx/adx " : "",
                cpu->avx512_ifma ? "avx512-ifma " : "", cpu->sha_ni ? "sha-ni" : "");
    report_object(report, "backends");
    for (const struct backend *const *b = backend_list(); *b; b++)
        describe_backend(report, *b);
    report_end(report);
}
