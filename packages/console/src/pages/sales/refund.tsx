/** Refunds a sale, and shows before what the customer gets back and what happens to the points. */
import { Alert } from "@mantine/core";
import { type DataOf, outputOf } from "../../api/declarations.ts";
import { useRead } from "../../api/queries.ts";
import { useBusiness } from "../../business.tsx";
import { FailureAlert } from "../../feedback/failure.tsx";
import { Loading } from "../../feedback/loading.tsx";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { Details } from "../../tables/details.tsx";
import { texts } from "../../texts/en.ts";

type Sale = DataOf<"/op/sales/get">;

export function RefundSale({ sale }: { readonly sale: Sale }) {
  const { business_id, money } = useBusiness();
  const { sale_id, refundable } = sale;
  if (refundable === 0) return null;
  return (
    <OperationButton
      path="/op/sales/refund"
      fixed={{ business_id, sale_id }}
      show={["amount", "reference_id", "reason"]}
      suggested={{ amount: refundable }}
      label={texts.refund.submit}
      explanation={texts.refund.explanation(money(refundable))}
      preview={({ amount }) =>
        amount !== undefined && amount <= refundable && <Preview sale={sale} amount={amount} />
      }
    />
  );
}

function Preview({ sale: { sale_id }, amount }: { readonly sale: Sale; readonly amount: number }) {
  const { business_id } = useBusiness();
  const read = useRead("/op/sales/preview-refund", { business_id, sale_id, amount }, { keepPrevious: true });
  if (read.isPending) return <Loading />;
  if (read.error) return <FailureAlert error={read.error} />;
  const { vouchers_back, ...effect } = read.data.data;
  const fields = outputOf("/op/sales/preview-refund");
  // What is 0 does not matter to the customer.
  const shown = Object.entries(effect).flatMap(([name, value]) => (value === 0 ? [] : [name]));
  return (
    <Alert mt="md" variant="light" title={texts.refund.preview}>
      <Details record={effect} fields={fields} show={shown} />
      {vouchers_back.length > 0 && texts.refund.vouchers(vouchers_back.length)}
    </Alert>
  );
}
