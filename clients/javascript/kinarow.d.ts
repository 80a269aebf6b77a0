// The types of kinarow.js; those of requests and answers are generated from openapi.yaml.

import type * as api from "./api.js";
import type {
  AnalysisAnswer,
  AnalysisProgress,
  FieldError,
  MoveAnswer,
  Problem,
  ReviewAnswer,
  ReviewRequest,
  ReviewedMoveEvent,
  TreeAnswer,
  TreeRequest,
  Version,
} from "./api.js";

export type * from "./api.js";

/** Playing strength; 10 is full strength. */
export type Level = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

export type MoveRequest = Omit<api.MoveRequest, "level"> & { level?: Level };
export type AnalysisRequest = Omit<api.AnalysisRequest, "level"> & { level?: Level };

export interface Options {
  /** Stand-in for `globalThis.fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** How long an answer may take to begin; 60,000 by default. */
  timeoutMs?: number;
  /** How often a request is sent again after `Retry-After` of a 429 or 503; 2 by default. */
  retries?: number;
}

export interface CallOptions {
  /** Gives the request up; the service then stops its search. */
  signal?: AbortSignal | undefined;
}

export declare class KinarowError extends Error {
  /** The HTTP status; 0 where there was no answer. */
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
  review(
    request: ReviewRequest,
    options?: CallOptions & { onMove?: (move: ReviewedMoveEvent) => void },
  ): Promise<ReviewAnswer>;
  moves(requests: MoveRequest[], options?: CallOptions): Promise<(MoveAnswer | KinarowError)[]>;
  tree(request: TreeRequest, options?: CallOptions): Promise<TreeAnswer>;
  version(options?: CallOptions): Promise<Version>;
}

/** The server-sent events of a response's body, their data read as JSON. */
export declare function events(body: ReadableStream<Uint8Array>): AsyncGenerator<{ event: string; data: unknown }>;
/** The seconds of `Retry-After`, which is a number or a date; null where there is none. */
export declare function retryAfter(response: Response): number | null;
/** Waits; rejects with the signal's reason once it aborts. */
export declare function pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
