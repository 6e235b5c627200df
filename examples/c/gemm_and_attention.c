/* FADE from C: relu(A B + bias), then attention, on this CPU or on the device that is named.
 *
 *   cc -std=c99 gemm_and_attention.c -lfade -o gemm_and_attention && ./gemm_and_attention host */
#include <fade.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 4, N = 3, K = 8, HEADS = 2, TOKENS = 5, DIM = 16 };

static int refused(const char* what) {
    const fade_error* e = fade_last_error();
    fprintf(stderr, "%s: %s (argument %s)\n", what, e->message, e->argument);
    return 1;
}

/* Small numbers that differ. */
static void fill(float* to, int count) {
    int i;
    for (i = 0; i < count; ++i) to[i] = (float)((i * 7) % 11 - 5) / 8;
}

static int multiply(fade_device* device) {
    float a[M * K], b[K * N], bias[N], d[M * N];
    fade_stage stages[2];
    fade_gemm_args g;
    fade_options options;
    fade_report* report = NULL;
    fill(a, M * K), fill(b, K * N), fill(bias, N);

    fade_stage_init(&stages[0], sizeof stages[0]), fade_stage_init(&stages[1], sizeof stages[1]);
    stages[0].kind = FADE_BIAS, stages[0].values = bias;
    stages[1].kind = FADE_RELU;

    fade_gemm_init(&g, sizeof g);
    g.m = M, g.n = N, g.k = K;
    g.a = a, g.b = b, g.d = d;
    g.stages = stages, g.stage_count = 2;

    fade_options_init(&options, sizeof options);
    options.report = &report;
    if (fade_gemm(device, &g, &options) != FADE_OK) return refused("gemm");
    printf("%s\n", fade_report_text(report, FADE_REPORT_REQUESTED));
    printf("  ran %s, since %s\n", fade_report_text(report, FADE_REPORT_CHOSEN),
           fade_report_text(report, FADE_REPORT_WHY));
    fade_report_close(report);
    printf("  first row: %g %g %g\n", d[0], d[1], d[2]);
    return 0;
}

static int attend(fade_device* device) {
    float q[TOKENS * HEADS * DIM], o[TOKENS * HEADS * DIM], lse[HEADS * TOKENS];
    fade_attention_args a;
    fill(q, TOKENS * HEADS * DIM);

    fade_attention_init(&a, sizeof a);
    a.causal = FADE_CAUSAL_BOTTOM_RIGHT;
    a.heads = HEADS, a.seq_q = TOKENS, a.seq_k = TOKENS, a.head_dim = DIM;
    a.q = q, a.k = q, a.v = q, a.o = o, a.lse = lse;
    if (fade_attention(device, &a, NULL) != FADE_OK) return refused("attention");
    printf("the first query sees itself alone: %g is %g\n", o[0], q[0]);
    return o[0] < q[0] - 1e-5f || o[0] > q[0] + 1e-5f;
}

int main(int count, char** words) {
    const char* name = count > 1 ? words[1] : "host";
    fade_device* device;
    int failed;
    if (fade_device_open(name, NULL, &device) != FADE_OK) return refused(name);
    failed = multiply(device) || attend(device);
    fade_device_close(device);
    return failed;
}
