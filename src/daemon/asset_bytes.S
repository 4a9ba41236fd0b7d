/* The bytes of the dashboard's files; CMakeLists.txt says where they are found. */
    .section .rodata
    .macro asset name, file
    .balign 16
    .globl asset_\name
    .hidden asset_\name
asset_\name:
    .incbin "\file"
    .globl asset_\name\()_end
    .hidden asset_\name\()_end
asset_\name\()_end:
    .byte 0
    .endm

    asset page, "page.html"
    asset style, "style.css"
    asset script, "script.js"
    asset uplot, "uPlot.iife.min.js"
    asset uplot_style, "uPlot.min.css"

    .section .note.GNU-stack,"",@progbits
