/** The rules for points. A change is saved only after the page has shown what it does to the sales of the last months. */
import { OperationButton, outlineOf, PageTitle } from "../../components.ts";
import { texts } from "../../texts/en/texts.ts";
import { Settings } from "../settings.tsx";
import { EarningChecklist } from "./checklist.tsx";
import { usePreview } from "./preview.tsx";

export function RulesPage() {
  const t = texts.rules;
  return (
    <>
      <PageTitle title={t.title} subtitle={t.explanation}>
        <OperationButton path="/op/reward-points/extend" />
      </PageTitle>
      <EarningChecklist />
      {(["/op/reward-settings", "/op/reward-settings/rules"] as const).map((of) => (
        <Settings
          key={of}
          {...{ of, title: of === "/op/reward-settings" ? t.settings : t.rules }}
          buttons={() => [{ path: `${of}/update`, useExtras: usePreview }]}
          show={(record) => outlineOf(`${of}/update`).takes.filter((name) => name in record)}
        />
      ))}
    </>
  );
}
