/* Montgomery products and squares of 4 and 6 words for processors with BMI2 and ADX.
 * Contracts: field/mont.h. System V calling convention:
 *
 *   rdi = out, rsi = a, rdx = b (mul) or p (sqr), rcx = p (mul);  p[n] holds -1/p mod 2^64
 *
 * mul goes row by row: add a * b[i] to the accumulator, then add the multiple of p that clears its
 * lowest word and drop that word. In each half of a row the low halves of the products run down one
 * carry chain (adox) and the high halves down the other (adcx), so they do not wait for each other.
 * The top bit of p is free, so the accumulator never needs more than one extra word.
 *
 * mul_sum is mul with two products in a row; its arguments are moved to rsi = a, rbx = b, r15 = c,
 * rdi = d, rcx = p, and out waits on the stack.
 *
 * sqr makes the 2n words of the square first (products of different words once, doubled), reduces
 * the low half row by row, and adds the high half at the end: n(n-1)/2 products fewer than mul. */
#if defined(__x86_64__) && defined(__ELF__)

/* rax, rbp: low and high half of a product; rdx: the factor of the row. */

/* lo += low, hi += high of word j of (x) times rdx */
.macro mul_add x, j, lo, hi
    mulx 8*\j(\x), %rax, %rbp
    adox %rax, \lo
    adcx %rbp, \hi
.endm

/* One step of a reduction: the accumulator moves down a word. */
.macro reduce_step j, t_prev, t
    adcx \t, \t_prev
    mulx 8*\j(%rcx), %rax, \t
    adox %rax, \t_prev
.endm

/* Begins a reduction: rdx = the multiple of p that clears t0, t0 = the carry out of that word. */
.macro reduce_begin n, t0
    movq \t0, %rdx
    imulq 8*\n(%rcx), %rdx
    xorl %eax, %eax
    mulx (%rcx), %rax, %rbp
    adcx \t0, %rax
    movq %rbp, \t0
.endm

/* x = t_j minus word j of p, with borrow; `op` is subq for the first word, sbbq after it. */
.macro less_p op, j, t, x
    movq \t, \x
    \op 8*\j(%rcx), \x
.endm

.macro store_select j, t, x
    cmovcq \t, \x
    movq \x, 8*\j(%rdi)
.endm

.macro save reg
    pushq \reg
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset \reg, 0
.endm
.macro restore reg
    popq \reg
    .cfi_adjust_cfa_offset -8
    .cfi_restore \reg
.endm

.macro begin name
    .globl \name
    .hidden \name
    .type \name, @function
    .p2align 5
\name:
    .cfi_startproc
    save %rbx
    save %rbp
    save %r12
    save %r13
    save %r14
    save %r15
.endm
.macro end name
    restore %r15
    restore %r14
    restore %r13
    restore %r12
    restore %rbp
    restore %rbx
    ret
    .cfi_endproc
    .size \name, . - \name
.endm

.text

/* ---- 4 words: accumulator r8 .. r11, top r12 ------------------------------------------------- */

.macro reduce_4 top
    reduce_begin 4, %r8
    reduce_step 1, %r8, %r9
    reduce_step 2, %r9, %r10
    reduce_step 3, %r10, %r11
    movl $0, %eax
    adcx %rax, %r11
    adox \top, %r11
.endm

.macro finish_4
    less_p subq, 0, %r8, %rax
    less_p sbbq, 1, %r9, %rbp
    less_p sbbq, 2, %r10, %rdx
    less_p sbbq, 3, %r11, %rbx
    store_select 0, %r8, %rax
    store_select 1, %r9, %rbp
    store_select 2, %r10, %rdx
    store_select 3, %r11, %rbx
.endm

/* The accumulator = (x) times the first word of (y). */
.macro row_first_4 x, y
    movq (\y), %rdx
    xorl %eax, %eax
    mulx (\x), %r8, %r9
    mulx 8(\x), %rax, %r10
    adcx %rax, %r9
    mulx 16(\x), %rax, %r11
    adcx %rax, %r10
    mulx 24(\x), %rax, %r12
    adcx %rax, %r11
    movl $0, %eax
    adcx %rax, %r12
.endm

/* The accumulator += (x) times word i of (y). */
.macro row_4 i, x, y
    movq 8*\i(\y), %rdx
    xorl %eax, %eax
    mul_add \x, 0, %r8, %r9
    mul_add \x, 1, %r9, %r10
    mul_add \x, 2, %r10, %r11
    mulx 24(\x), %rax, %r12
    adox %rax, %r11
    movl $0, %eax
    adcx %rax, %r12
    adox %rax, %r12
.endm

/* The same, the top being in use. */
.macro row_more_4 i, x, y
    movq 8*\i(\y), %rdx
    xorl %eax, %eax
    mul_add \x, 0, %r8, %r9
    mul_add \x, 1, %r9, %r10
    mul_add \x, 2, %r10, %r11
    mulx 24(\x), %rax, %rbp
    adox %rax, %r11
    adcx %rbp, %r12
    movl $0, %eax
    adox %rax, %r12
.endm

begin mont_mul_4_adx
    movq %rdx, %rbx
    row_first_4 %rsi, %rbx
    reduce_4 %r12
.irp i, 1, 2, 3
    row_4 \i, %rsi, %rbx
    reduce_4 %r12
.endr
    finish_4
end mont_mul_4_adx

begin mont_mul_sum_4_adx
    save %rdi
    movq %rdx, %rbx
    movq %rcx, %r15
    movq %r8, %rdi
    movq %r9, %rcx
    row_first_4 %rsi, %rbx
    row_more_4 0, %r15, %rdi
    reduce_4 %r12
.irp i, 1, 2, 3
    row_4 \i, %rsi, %rbx
    row_more_4 \i, %r15, %rdi
    reduce_4 %r12
.endr
    restore %rdi
    finish_4
end mont_mul_sum_4_adx

/* The square: r8 .. r15. */
begin mont_sqr_4_adx
    movq %rdx, %rcx
    movq (%rsi), %rdx
    xorl %eax, %eax
    mulx 8(%rsi), %r9, %r10
    mulx 16(%rsi), %rax, %r11
    adcx %rax, %r10
    mulx 24(%rsi), %rax, %r12
    adcx %rax, %r11
    movl $0, %r13d
    adcx %r13, %r12
    movq 8(%rsi), %rdx
    xorl %r14d, %r14d
    mul_add %rsi, 2, %r11, %r12
    mulx 24(%rsi), %rax, %rbp
    adox %rax, %r12
    adcx %rbp, %r13
    adox %r14, %r13
    movq 16(%rsi), %rdx
    mulx 24(%rsi), %rax, %r14
    addq %rax, %r13
    adcq $0, %r14

    xorl %r15d, %r15d
    movq (%rsi), %rdx
    mulx %rdx, %r8, %rax
    adcx %r9, %r9
    adox %rax, %r9
    movq 8(%rsi), %rdx
    mulx %rdx, %rax, %rbp
    adcx %r10, %r10
    adox %rax, %r10
    adcx %r11, %r11
    adox %rbp, %r11
    movq 16(%rsi), %rdx
    mulx %rdx, %rax, %rbp
    adcx %r12, %r12
    adox %rax, %r12
    adcx %r13, %r13
    adox %rbp, %r13
    movq 24(%rsi), %rdx
    mulx %rdx, %rax, %rbp
    adcx %r14, %r14
    adox %rax, %r14
    adcx %r15, %r15
    adox %rbp, %r15

.rept 4
    reduce_4 %rax /* which is zero there */
.endr
    addq %r12, %r8
    adcq %r13, %r9
    adcq %r14, %r10
    adcq %r15, %r11
    finish_4
end mont_sqr_4_adx

/* ---- 6 words: accumulator r8 .. r13, top r14 ------------------------------------------------- */

.macro reduce_6 top
    reduce_begin 6, %r8
    reduce_step 1, %r8, %r9
    reduce_step 2, %r9, %r10
    reduce_step 3, %r10, %r11
    reduce_step 4, %r11, %r12
    reduce_step 5, %r12, %r13
    movl $0, %eax
    adcx %rax, %r13
    adox \top, %r13
.endm

.macro finish_6
    less_p subq, 0, %r8, %rax
    less_p sbbq, 1, %r9, %rbp
    less_p sbbq, 2, %r10, %rdx
    less_p sbbq, 3, %r11, %rbx
    less_p sbbq, 4, %r12, %rsi
    less_p sbbq, 5, %r13, %r14
    store_select 0, %r8, %rax
    store_select 1, %r9, %rbp
    store_select 2, %r10, %rdx
    store_select 3, %r11, %rbx
    store_select 4, %r12, %rsi
    store_select 5, %r13, %r14
.endm

/* The accumulator = (x) times the first word of (y). */
.macro row_first_6 x, y
    movq (\y), %rdx
    xorl %eax, %eax
    mulx (\x), %r8, %r9
    mulx 8(\x), %rax, %r10
    adcx %rax, %r9
    mulx 16(\x), %rax, %r11
    adcx %rax, %r10
    mulx 24(\x), %rax, %r12
    adcx %rax, %r11
    mulx 32(\x), %rax, %r13
    adcx %rax, %r12
    mulx 40(\x), %rax, %r14
    adcx %rax, %r13
    movl $0, %eax
    adcx %rax, %r14
.endm

/* The accumulator += (x) times word i of (y). */
.macro row_6 i, x, y
    movq 8*\i(\y), %rdx
    xorl %eax, %eax
    mul_add \x, 0, %r8, %r9
    mul_add \x, 1, %r9, %r10
    mul_add \x, 2, %r10, %r11
    mul_add \x, 3, %r11, %r12
    mul_add \x, 4, %r12, %r13
    mulx 40(\x), %rax, %r14
    adox %rax, %r13
    movl $0, %eax
    adcx %rax, %r14
    adox %rax, %r14
.endm

/* The same, the top being in use. */
.macro row_more_6 i, x, y
    movq 8*\i(\y), %rdx
    xorl %eax, %eax
    mul_add \x, 0, %r8, %r9
    mul_add \x, 1, %r9, %r10
    mul_add \x, 2, %r10, %r11
    mul_add \x, 3, %r11, %r12
    mul_add \x, 4, %r12, %r13
    mulx 40(\x), %rax, %rbp
    adox %rax, %r13
    adcx %rbp, %r14
    movl $0, %eax
    adox %rax, %r14
.endm

begin mont_mul_6_adx
    movq %rdx, %rbx
    row_first_6 %rsi, %rbx
    reduce_6 %r14
.irp i, 1, 2, 3, 4, 5
    row_6 \i, %rsi, %rbx
    reduce_6 %r14
.endr
    finish_6
end mont_mul_6_adx

begin mont_mul_sum_6_adx
    save %rdi
    movq %rdx, %rbx
    movq %rcx, %r15
    movq %r8, %rdi
    movq %r9, %rcx
    row_first_6 %rsi, %rbx
    row_more_6 0, %r15, %rdi
    reduce_6 %r14
.irp i, 1, 2, 3, 4, 5
    row_6 \i, %rsi, %rbx
    row_more_6 \i, %r15, %rdi
    reduce_6 %r14
.endr
    restore %rdi
    finish_6
end mont_mul_sum_6_adx

/* Words 0 to 7 of the square sit in r8 .. r15, word 8 in rbx, 9 in rcx, then on the stack in the
 * place of p, 10 in rdi, then rsi, 11 in rbp, then rdi. */
begin mont_sqr_6_adx
    save %rdi
    save %rdx
    movq (%rsi), %rdx
    xorl %eax, %eax
    mulx 8(%rsi), %r9, %r10
    mulx 16(%rsi), %rax, %r11
    adcx %rax, %r10
    mulx 24(%rsi), %rax, %r12
    adcx %rax, %r11
    mulx 32(%rsi), %rax, %r13
    adcx %rax, %r12
    mulx 40(%rsi), %rax, %r14
    adcx %rax, %r13
    movl $0, %r15d
    adcx %r15, %r14

    movq 8(%rsi), %rdx
    xorl %ebx, %ebx
    mul_add %rsi, 2, %r11, %r12
    mul_add %rsi, 3, %r12, %r13
    mul_add %rsi, 4, %r13, %r14
    mul_add %rsi, 5, %r14, %r15
    adox %rbx, %r15

    movq 16(%rsi), %rdx
    xorl %ecx, %ecx
    mul_add %rsi, 3, %r13, %r14
    mul_add %rsi, 4, %r14, %r15
    mul_add %rsi, 5, %r15, %rbx
    adox %rcx, %rbx

    movq 24(%rsi), %rdx
    xorl %edi, %edi
    mul_add %rsi, 4, %r15, %rbx
    mul_add %rsi, 5, %rbx, %rcx
    adox %rdi, %rcx

    movq 32(%rsi), %rdx
    mulx 40(%rsi), %rax, %rdi
    addq %rax, %rcx
    adcq $0, %rdi

    /* doubled (adcx), plus the squares (adox) */
    xorl %eax, %eax
    movq (%rsi), %rdx
    mulx %rdx, %r8, %rax
    adcx %r9, %r9
    adox %rax, %r9
    movq 8(%rsi), %rdx
    mulx %rdx, %rax, %rbp
    adcx %r10, %r10
    adox %rax, %r10
    adcx %r11, %r11
    adox %rbp, %r11
    movq 16(%rsi), %rdx
    mulx %rdx, %rax, %rbp
    adcx %r12, %r12
    adox %rax, %r12
    adcx %r13, %r13
    adox %rbp, %r13
    movq 24(%rsi), %rdx
    mulx %rdx, %rax, %rbp
    adcx %r14, %r14
    adox %rax, %r14
    adcx %r15, %r15
    adox %rbp, %r15
    movq 32(%rsi), %rdx
    mulx %rdx, %rax, %rbp
    adcx %rbx, %rbx
    adox %rax, %rbx
    adcx %rcx, %rcx
    adox %rbp, %rcx
    movq 40(%rsi), %rdx
    mulx %rdx, %rax, %rbp
    adcx %rdi, %rdi
    adox %rax, %rdi
    movl $0, %eax
    adcx %rax, %rbp
    adox %rax, %rbp

    movq %rdi, %rsi
    movq %rbp, %rdi
    movq (%rsp), %rax
    movq %rcx, (%rsp)
    movq %rax, %rcx
.rept 6
    reduce_6 %rax /* which is zero there */
.endr
    addq %r14, %r8
    adcq %r15, %r9
    adcq %rbx, %r10
    adcq (%rsp), %r11
    adcq %rsi, %r12
    adcq %rdi, %r13
    restore %rdx
    restore %rdi
    finish_6
end mont_sqr_6_adx

    .section .note.GNU-stack, "", @progbits
#endif
