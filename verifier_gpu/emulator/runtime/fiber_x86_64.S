// void leap_fiber_switch(void** save [rdi], void* load [rsi]), System V ABI.
    .text
    .globl leap_fiber_switch
    .type leap_fiber_switch, @function
    .p2align 4
leap_fiber_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size leap_fiber_switch, .-leap_fiber_switch
    .section .note.GNU-stack,"",@progbits
