#include "filecoin/circuit.h"

#include "filecoin/porep_circuit.h"

enum cuzk_status circuit_record(struct r1cs *ret, struct circuit_name name, struct budget *budget,
                                struct cuzk_error *err)
{
    char text[CIRCUIT_TEXT_MAX];

    if (name.kind == CIRCUIT_POREP)
        return porep_record(ret, &name.size->porep, budget, err);
    circuit_name_print(text, name);
    return error_set(err, CUZK_USAGE, "%.64s: only porep circuits can be proven yet", text);
}
