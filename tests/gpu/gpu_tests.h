/* The programs in gpu_tests, each with the arguments that follow its name; the exit status. */
#ifndef GPU_GPU_TESTS_H
#define GPU_GPU_TESTS_H

int gpu_matrices(int argc, char **argv);
int gpu_sums(int argc, char **argv);
int gpu_setup(int argc, char **argv);
int gpu_key_transforms(int argc, char **argv);
int gpu_memory(int argc, char **argv);
int gpu_transforms(int argc, char **argv);
int gpu_faults(int argc, char **argv);
int gpu_forms(int argc, char **argv);
int gpu_speed(int argc, char **argv);

#endif
