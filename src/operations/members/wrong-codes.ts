/** Limits how often a caller can guess a code of a voucher or a card. */
import type { ErrorCode, Rejection } from "../../contract/declare.ts";
import type { Caller, Context } from "../../contract/operation.ts";

export type LookingUp = Pick<Context, "services"> & { readonly caller: Caller };

/** The rejection of a caller that has sent too many wrong codes. */
export function tooManyWrongCodes({ services, caller }: LookingUp): Rejection<ErrorCode> | undefined {
  return services.wrongCodes?.rejection(senderOf(caller)) as Rejection<ErrorCode> | undefined;
}

/** Counts a code that no voucher and no card has. */
export function countWrongCode({ services, caller }: LookingUp): void {
  services.wrongCodes?.owe(senderOf(caller));
}

const senderOf = ({ integrationId, actor }: Caller) => integrationId ?? `operator ${actor.kind} ${actor.id}`;
