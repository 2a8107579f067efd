/** The points, money and vouchers that members have at the end of a day, and what expires next. */
import { SimpleGrid } from "@mantine/core";
import { Figure, Read, useBusiness } from "../../components.ts";
import { monthText, texts, wholeText } from "../../texts/index.ts";

const t = texts.today;

/** @param props without a day, it is today */
export function Outstanding({ on }: { readonly on?: string | undefined }) {
  const { money } = useBusiness();
  return (
    <Read path="/op/reports/liabilities" request={{ on }} height={{ base: "14.5rem", md: "6.25rem" }}>
      {(owed) => {
        const next = owed.points_by_month.find(({ month }) => month !== null);
        return (
          <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
            <Figure label={t.points} value={wholeText(owed.points)}>
              <div>{t.worth(money(owed.points_amount))}</div>
              {owed.points_pending > 0 && <div>{t.pending(owed.points_pending)}</div>}
            </Figure>
            <Figure label={t.expiring} value={next === undefined ? t.nothing : wholeText(next.points)}>
              {next?.month && t.atEndOf(monthText(next.month))}
            </Figure>
            <Figure label={t.wallet} value={money(owed.wallet)} />
            <Figure label={t.vouchers} value={money(owed.vouchers_amount)}>
              {t.voucherCount(owed.vouchers)}
            </Figure>
          </SimpleGrid>
        );
      }}
    </Read>
  );
}
