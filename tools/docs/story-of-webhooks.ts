/** The part of the story about webhooks: an endpoint for a data warehouse. */
import { type Said, type Step, step } from "./step.ts";

/** @param base the fields of each request */
export function webhookSteps(side: "sp" | "op", base: object = {}): readonly Step[] {
  const endpoints = `/${side}/webhook-endpoints`;
  const deliveries = `/${side}/webhook-deliveries`;
  const endpoint = (said: Said) => ({ ...base, endpoint_id: said(`${endpoints}/create`).endpoint_id });
  const key = (number: number) => ({ idempotency_key: `warehouse-${side}-${number}` });
  const change = (path: string, number: number, fields: object = {}) =>
    step(path, (said) => ({ ...key(number), ...endpoint(said), ...fields }));
  return [
    step(`${endpoints}/create`, {
      ...key(1),
      ...base,
      url: "https://example.com/webhooks/loyalty",
      types: ["sale.*", "member.updated"],
      description: "Data warehouse",
      headers: [{ name: "Authorization", value: "Bearer 5Vn0JqM2" }],
    }),
    step(`${endpoints}/list`, base),
    change(`${endpoints}/disable`, 2),
    change(`${endpoints}/update`, 3, { types: ["*"] }),
    change(`${endpoints}/rotate-secret`, 5, { overlap_seconds: 86_400 }),
    change(`${endpoints}/enable`, 6, { from: "stopped" }),
    step(`${endpoints}/get`, endpoint),
    step(`${deliveries}/list`, endpoint),
    step(`${deliveries}/get`, (said) => ({ ...endpoint(said), event_no: 1 })),
    change(`${deliveries}/replay`, 8, { since: "2026-04-17", dry_run: true }),
    // The sender tries these now, and the responses before show no attempt.
    change(`${endpoints}/test`, 4, { type: "sale.recorded" }),
    change(`${deliveries}/retry`, 7, { event_no: 1 }),
    change(`${endpoints}/delete`, 9),
  ];
}
