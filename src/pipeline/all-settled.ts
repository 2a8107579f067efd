/** Waiting for several things at once. */

/** Waits for all, so that none is still under way when the first failure is thrown. */
export async function allSettledOrThrow<Results extends readonly unknown[]>(
  promises: readonly [...{ [K in keyof Results]: PromiseLike<Results[K]> }],
): Promise<Results> {
  const settled = await Promise.allSettled(promises);
  return settled.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  }) as unknown as Results;
}
