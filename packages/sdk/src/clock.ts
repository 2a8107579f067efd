/** The clock of a sandbox: a time that is too far for one step is reached in several. */
import type { ApiResponse } from "./attempt.ts";
import { type Call, type Caller, type Written, written } from "./caller.ts";
import { ApiError } from "./errors.ts";
import { SandboxClock } from "./generated/resources.ts";
import type { SandboxClockAdvanceData, SandboxClockAdvanceRequest } from "./generated/types.ts";
import type { CallOptions, Transport } from "./transport.ts";

/** A time that the clock has reached on the way, and the entries that were recorded until then. */
export type ClockStep = SandboxClockAdvanceData;

export interface ClockOptions extends CallOptions {
  /** Hears of every step before the last one. */
  readonly onStep?: ((step: ClockStep) => void) | undefined;
}

/**
 * Advances the clock of a sandbox. If too much is due for one step, it goes as far as is possible, again and again.
 * @param transport with the token of the sandbox's integration
 * @returns the response to the last step, with the entries of all steps
 */
export async function advanceClock(
  transport: Transport,
  request: SandboxClockAdvanceRequest,
  { onStep, ...options }: ClockOptions = {},
): Promise<ApiResponse<SandboxClockAdvanceData>> {
  const advance = (body: SandboxClockAdvanceRequest) =>
    transport.request<SandboxClockAdvanceData>("/sp/sandbox/clock/advance", body, {
      ...options,
      write: true,
    });
  for (let entries = 0; ; ) {
    try {
      const response = await advance(request);
      return { ...response, data: { ...response.data, entries: entries + response.data.entries } };
    } catch (error) {
      if (!(error instanceof ApiError && error.is("clock_step_too_large"))) throw error;
      // The key of the request belongs to the last step.
      const { data } = await advance({ to: error.details.to });
      entries += data.entries;
      onStep?.({ ...data, entries });
    }
  }
}

/** `client.sandbox.clock`, whose `advance` takes several steps if they are needed. */
export class Clock extends SandboxClock {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    super(caller);
    this.#caller = caller;
  }

  override advance(
    request: SandboxClockAdvanceRequest,
    options?: ClockOptions,
  ): Call<SandboxClockAdvanceData & Written> {
    return this.#caller.callOf(advanceClock(this.#caller.transport, request, options).then(written));
  }
}
