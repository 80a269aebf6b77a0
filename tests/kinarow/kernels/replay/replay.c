/* Repeats recorded calls (record.py) with a shared library: replay LIBRARY CALLS RESULTS */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

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

int main(int count, char **arguments) {
    if (count != 4) return 1;
    void *library = dlopen(arguments[1], RTLD_NOW);
    FILE *calls = fopen(arguments[2], "rb"), *results = fopen(arguments[3], "wb");
    if (!library || !calls || !results) return fprintf(stderr, "%s\n", dlerror()), 2;
    for (int64_t left = word(calls); left > 0; left--) {
        char name[64];
        int64_t words[MOST] = {0}, place[MOST], bytes[MOST], head[2];
        char *memory[MOST];
        if (fread(name, sizeof name, 1, calls) != 1) return 4;
        int64_t length = word(calls);
        for (int64_t i = 0; i < length; i++) words[i] = word(calls);
        int64_t arrays = word(calls);
        for (int64_t i = 0; i < arrays; i++) {
            place[i] = word(calls);
            bytes[i] = (word(calls) + 7) / 8 * 8;
            memory[i] = allocate(bytes[i]);
            words[place[i]] = (int64_t)(intptr_t)memory[i];
            if (bytes[i] && fread(memory[i], bytes[i], 1, calls) != 1) return 4;
        }
        int32_t (*entry)(int64_t *) = (int32_t (*)(int64_t *))dlsym(library, name);
        if (!entry) return fprintf(stderr, "%s\n", dlerror()), 2;
        head[0] = entry(words);
        head[1] = words[length];
        fwrite(head, sizeof head, 1, results);
        for (int64_t i = 0; i < arrays; i++) {
            fwrite(memory[i], 1, bytes[i], results);
            free(memory[i]);
        }
    }
    return fclose(results);
}
