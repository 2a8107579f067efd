/** One promotion: what it does, and what it gave. */
import { outputOf } from "../../api/declarations.ts";
import { Details, OperationButton, PageTitle, Parts, Read, State } from "../../components.ts";
import { promotionTexts as t } from "../../texts/en-promotions.ts";
import { type Promotion, PromotionWords, promotionButtons } from "./words.tsx";

const path = "/op/promotions/report";
const labels = t.figures;

export function PromotionPage({ record: promotion }: { readonly record: Promotion }) {
  const { promotion_id, name, status } = promotion;
  return (
    <>
      <PageTitle title={name} subtitle={<PromotionWords of={promotion} />}>
        <State value={status} />
        {promotionButtons(promotion).map((button) => (
          <OperationButton key={button.label} {...button} fixed={{ promotion_id }} />
        ))}
      </PageTitle>
      <Read path={path} request={{ promotion_id }}>
        {(report) => (
          <>
            <Details record={report} fields={outputOf(path)} show={Object.keys(labels)} {...{ labels }} />
            <Parts
              {...{ path, title: t.days, name: "days", rows: report.days, empty: t.nothing, file: name }}
            />
          </>
        )}
      </Read>
    </>
  );
}
