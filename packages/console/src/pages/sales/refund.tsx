/** Refunds a sale, and shows before what the customer gets back and what happens to the points. */
import { Alert } from "@mantine/core";
import { type DataOf, outputOf } from "../../api/declarations.ts";
import { useBusiness } from "../../business.tsx";
import { Read } from "../../feedback/read.tsx";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { Details } from "../../tables/details.tsx";
import { texts } from "../../texts/en.ts";

type Sale = DataOf<"/op/sales/get">;

export function RefundSale({ sale }: { readonly sale: Sale }) {
  const { money } = useBusiness();
  const { sale_id, refundable } = sale;
  if (refundable === 0) return null;
  return (
    <OperationButton
      path="/op/sales/refund"
      fixed={{ sale_id }}
      show={["amount", "reference_id", "reason"]}
      suggested={{ amount: refundable }}
      label={texts.refund.submit}
      canSubmit={({ amount = 0 }) => amount <= refundable}
      explanation={texts.refund.explanation(money(refundable))}
      preview={({ amount }) =>
        amount !== undefined &&
        (amount <= refundable ? (
          <Preview sale={sale} amount={amount} />
        ) : (
          <Alert mt="md" color="orange" variant="light" role="alert">
            {texts.refund.tooMuch(money(refundable))}
          </Alert>
        ))
      }
    />
  );
}

function Preview({ sale: { sale_id }, amount }: { readonly sale: Sale; readonly amount: number }) {
  const path = "/op/sales/preview-refund";
  return (
    <Read path={path} request={{ sale_id, amount }} keepPrevious once>
      {({ vouchers_back, ...effect }) => (
        <Alert mt="md" variant="light" title={texts.refund.preview}>
          <Details
            record={effect}
            fields={outputOf(path)}
            // What is 0 does not matter to the customer.
            show={Object.entries(effect).flatMap(([name, value]) => (value === 0 ? [] : [name]))}
          />
          {vouchers_back.length > 0 && texts.refund.vouchers(vouchers_back.length)}
        </Alert>
      )}
    </Read>
  );
}
