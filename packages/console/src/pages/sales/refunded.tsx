import { useBusiness } from "../../business.tsx";
import { texts } from "../../texts/en.ts";

type Refundable = Readonly<{ amount: number; refunded: number }>;

export const saleAmounts = ["location_id", "amount", "refunded"];

/** The cell of a list that says how much of a sale was refunded. Most sales were not, and have none. */
export function refundedCell(sale: Refundable) {
  return sale.refunded === 0 ? null : <Refunded {...sale} />;
}

function Refunded({ amount, refunded }: Refundable) {
  const { money } = useBusiness();
  const text = money(refunded);
  return <span className="number">{refunded === amount ? texts.sales.whole(text) : text}</span>;
}
