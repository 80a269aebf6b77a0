/* Repeats recorded calls (record.py) with a shared library: replay LIBRARY CALLS RESULTS */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIES = 3, MOST = 64 };

static void *allocate(size_t bytes) {
    void *memory = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (!memory) exit(3);
    return memory;
}

static int64_t word(FILE *file) {
    int64_t value;
    if (fread(&value, 8, 1, file) != 1) exit(4);
    return value;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
    if (count != 4) return 1;
    void *library = dlopen(arguments[1], RTLD_NOW);
    FILE *calls = fopen(arguments[2], "rb"), *results = fopen(arguments[3], "wb");
    if (!library || !calls || !results) return fprintf(stderr, "%s\n", dlerror()), 2;
    for (int64_t left = word(calls); left > 0; left--) {
        char name[64];
        int64_t words[MOST] = {0}, place[MOST], bytes[MOST], head[3] = {INT64_MAX};
        char *before[MOST], *memory[MOST];
        if (fread(name, sizeof name, 1, calls) != 1) return 4;
        int64_t length = word(calls);
        for (int64_t i = 0; i < length; i++) words[i] = word(calls);
        int64_t arrays = word(calls);
        for (int64_t i = 0; i < arrays; i++) {
            place[i] = word(calls);
            bytes[i] = (word(calls) + 7) / 8 * 8;
            before[i] = allocate(bytes[i]);
            memory[i] = allocate(bytes[i]);
            words[place[i]] = (int64_t)(intptr_t)memory[i];
            if (bytes[i] && fread(before[i], bytes[i], 1, calls) != 1) return 4;
        }
        int32_t (*entry)(int64_t *) = (int32_t (*)(int64_t *))dlsym(library, name);
        if (!entry) return fprintf(stderr, "%s\n", dlerror()), 2;
        for (int try = 0; try < TRIES; try++) {
            for (int64_t i = 0; i < arrays; i++) memcpy(memory[i], before[i], bytes[i]);
            int64_t began = now();
            head[1] = entry(words);
            int64_t taken = now() - began;
            if (taken < head[0]) head[0] = taken;
        }
        head[2] = words[length];
        fwrite(head, sizeof head, 1, results);
        for (int64_t i = 0; i < arrays; i++) {
            fwrite(memory[i], 1, bytes[i], results);
            free(before[i]);
            free(memory[i]);
        }
    }
    return fclose(results);
}
