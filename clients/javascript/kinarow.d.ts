// The types of kinarow.js; those of requests and answers are generated from openapi.yaml.

import type { AnalysisAnswer, AnalysisRequest, FieldError, MoveAnswer, MoveRequest, Problem, Version } from "./api.js";

export type * from "./api.js";

export interface Options {
  /** Stand-in for `globalThis.fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Sent with every request. */
  headers?: Record<string, string>;
}

export interface CallOptions {
  /** Gives the request up; the service then stops its search. */
  signal?: AbortSignal;
}

/** What is known after a finished iteration of a search. */
export interface Progress extends Pick<AnalysisAnswer, "score" | "line"> {
  depth: number;
  nodes: number;
}

export declare class KinarowError extends Error {
  readonly status: number;
  readonly problem: Partial<Problem>;
  readonly errors: FieldError[];
  readonly retryAfter: number | null;
}

export declare class Kinarow {
  constructor(url: string, options?: Options);
  move(request: MoveRequest, options?: CallOptions): Promise<MoveAnswer>;
  cachedMove(request: MoveRequest, options?: CallOptions): Promise<MoveAnswer>;
  analysis(
    request: AnalysisRequest,
    options?: CallOptions & { onProgress?: (progress: Progress) => void },
  ): Promise<AnalysisAnswer>;
  version(options?: CallOptions): Promise<Version>;
}
