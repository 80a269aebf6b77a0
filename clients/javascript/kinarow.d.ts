// The types of kinarow.js; those of requests and answers are generated from openapi.yaml.

import type {
  AnalysisAnswer,
  AnalysisProgress,
  AnalysisRequest,
  FieldError,
  MoveAnswer,
  MoveRequest,
  Problem,
  ReviewAnswer,
  ReviewRequest,
  TreeAnswer,
  TreeRequest,
  Version,
} from "./api.js";

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
    options?: CallOptions & { onProgress?: (progress: AnalysisProgress) => void },
  ): Promise<AnalysisAnswer>;
  review(request: ReviewRequest, options?: CallOptions): Promise<ReviewAnswer>;
  moves(requests: MoveRequest[], options?: CallOptions): Promise<(MoveAnswer | KinarowError)[]>;
  tree(request: TreeRequest, options?: CallOptions): Promise<TreeAnswer>;
  version(options?: CallOptions): Promise<Version>;
}
