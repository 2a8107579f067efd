import { Refusal, readOperation, Type } from "../../../contract/declare.ts";
import { mostUsablePoints } from "../../../domain/engine/rules.ts";
import { decideSale } from "../../../domain/engine/sale.ts";
import * as shared from "../../sales.ts";

export const quoteSale = readOperation({
  path: "/sp/sales/quote",
  scope: "wa.sales.read",
  summary: "Quote a sale",
  description:
    "Returns the effect that recording this sale would have now: the amount due, the points earned and the reasons, " +
    "and the points and wallet money that can pay. It changes nothing. It returns the same errors as recording.",
  message: "Sale quoted.",
  input: shared.saleInput,
  output: Type.Object({
    ...shared.saleResult,
    usable: Type.Object(
      {
        points: shared.points("The most points that can pay a part of this sale.", 300),
        wallet: shared.money("The most that the wallet can pay, after the points of this quote", 3370),
      },
      { description: "The points and wallet money that can pay a part of the sale." },
    ),
    program: shared.program,
  }),
  errors: shared.saleErrors,
  check: shared.checkSale,
  async read({ services, caller, input, fail }) {
    const { businessId } = caller;
    const { contact_id: contactId, use_points: spends = 0, sold_on: rulesOn } = input;
    const member = await services.members.find(services.lookUps, { businessId, contactId, spends, rulesOn });
    if (member === undefined) return fail("member_not_found");
    const { rules, today } = member;
    const decision = decideSale(member, input, rules, today, 1);
    if (decision instanceof Refusal) return decision;
    const { program } = rules;
    const { sale_id: _, reference_id: __, ...data } = decision.data;
    return {
      ...data,
      usable: {
        points: mostUsablePoints(rules, member.points.balance, input.amount),
        wallet: Math.min(member.balances.wallet, input.amount - decision.data.points_amount),
      },
      program: program && { program_id: program.program_id, membership_name: program.membership_name },
    };
  },
});
