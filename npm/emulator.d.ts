/** The body of a response of GET /v1/files/KEY/variables/local, or of the published one. */
export type VariablesResponse = object;

export interface SpaceOptions {
  /** Saved responses of local variables by the key of their file: the path of each, or its decoded JSON. */
  seed?: Record<string, string | VariablesResponse>;
  /** Refuses what the emulator does not know in a request. */
  strict?: boolean;
  /** Enforces Figma's limits with status 429. */
  rateLimits?: boolean;
}

/** `port` is 0 for any free one, the default. Other members are options of `tokensync emulator serve`, in camel case. */
export interface EmulatorOptions extends SpaceOptions {
  port?: number;
  [option: string]: unknown;
}

/** A request that was received. `unknown` lists what the emulator does not know in it; `time` is in Unix seconds. */
export interface ReceivedRequest {
  number: number;
  generation: number;
  time: number;
  method: string;
  path: string;
  query: string;
  body: string;
  status: number;
  unknown: string[];
}

export interface RequestFilter {
  /** Requests after this number. */
  since?: number;
  /** Requests with something that the emulator does not know. */
  unknown?: boolean;
  /** Waits until there are this many, for `seconds` at most (the default is 5). */
  wait?: number;
  seconds?: number;
}

/** An emulated platform with files, people, a token, a clock and requests of its own. */
export interface Emulator {
  readonly url: string;
  /** A personal access token with every scope. */
  readonly token: string;
  /** Environment variables with which a child process uses this emulator, past any proxy, and cannot reach Figma. */
  readonly env: Readonly<Record<string, string>>;
  /** Loads the variables of saved responses into a file. */
  seed(key: string, local: VariablesResponse, published?: VariablesResponse): Promise<void>;
  /** Goes back to the start, with the files of the option `seed`. The token stays valid. */
  reset(): Promise<void>;
  /** The last thousand requests, the oldest first. */
  requests(filter?: RequestFilter): Promise<ReceivedRequest[]>;
  /** Opens an empty platform in the same process, which shares nothing with this one. Its `stop` removes it. */
  space(options?: SpaceOptions): Promise<Emulator>;
  /** Ends the emulator. It also ends with Node. */
  stop(): Promise<void>;
}

/**
 * Starts an emulator of Figma's API, or opens a space in the one at TOKENSYNC_EMULATOR_URL. The program is the first of:
 * TOKENSYNC_BIN, `tokensync` on the path, uvx, pipx, `python -m tokensync`. The error names all that were tried.
 */
export function startEmulator(options?: EmulatorOptions): Promise<Emulator>;
