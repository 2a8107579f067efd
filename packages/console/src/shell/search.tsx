/** One search for everything: members, receipts, pages, and what can be added. */
import { Select, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { creationOf, type Path, useAll, useRead } from "../api/index.ts";
import type { BusinessData } from "../business.tsx";
import { Dialog } from "../feedback/index.ts";
import { useSession } from "../session/session.tsx";
import { actionText, failureText, texts, withoutIsolates } from "../texts/index.ts";
import { useFoundMembers } from "../values/found-members.ts";
import type { Choice } from "../values/references.ts";

const t = texts.search;

/** `pages`: the menu, as addresses with their names. */
type SearchProps = Readonly<{ business: BusinessData | undefined; onClose: () => void }> &
  Readonly<{ pages: readonly (Choice & { needs: Path })[] }>;

export function Search({ business, pages, onClose }: SearchProps) {
  const [, navigate] = useLocation();
  const { may } = useSession();
  const store = useCombobox({ opened: true });
  const [text, setText] = useState("");
  const written = withoutIsolates(text).trim().slice(0, 100);
  const [wanted] = useDebouncedValue(written, 150);
  const { business_id = 0 } = business ?? {};
  // What was found for another text is not shown: Enter would open it.
  const enabled = business !== undefined && wanted !== "" && wanted === written;
  const { members, ...found } = useFoundMembers(wanted, { business_id }, enabled);
  const read = useRead("/op/sales/list", { business_id, reference_id: wanted, per_page: 5 }, { enabled });
  const sales = (enabled && read.data?.data) || [];
  const isLoading = business && (found.isLoading || read.isLoading);
  const failure = found.failure ?? (read.error && failureText(read.error));
  const at = (page: string, label: string, of = business_id) => ({ value: `/${of}/${page}`, label });
  const isNamed = ({ label }: Choice) => label.toLowerCase().includes(written.toLowerCase());
  // A page whose records can be added opens the form, which has the same button there.
  const actions = pages.flatMap(({ value, needs }) => {
    const path = creationOf(needs);
    return path && may(path) ? [{ value: `${value}?new=1`, label: actionText(path) }] : [];
  });
  const { data: businesses } = useAll("/op/businesses/list", {}).data ?? { data: [] };
  const others = businesses.filter((one) => one.business_id !== business_id);
  const places = others.map((one) => at("today", one.name, one.business_id));
  // What is found later comes last, so that the choice of a person stays.
  const groups = [
    { group: t.pages, items: pages.filter(isNamed) },
    { group: t.actions, items: actions.filter(isNamed) },
    { group: texts.menu.pages.businesses, items: places.filter(isNamed) },
    { group: t.members, items: members.map((one) => at(`members/${one.value}`, one.label)) },
    { group: t.sales, items: sales.map((one) => at(`sales/${one.sale_id}`, one.reference_id)) },
  ];
  const shown = groups.flatMap(({ items }) => items.map(({ label }) => label)).join();
  // Enter opens the first one, also if it is found later.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store is another object each time
  useEffect(() => void store.selectFirstOption(), [shown]);
  const go = (address: string | null) => {
    onClose();
    if (address) navigate(address);
  };
  return (
    <Dialog title={t.title} onClose={onClose} size="lg">
      <Select
        {...{ data: groups, "data-autofocus": true, "aria-label": t.title, placeholder: t.help }}
        {...{ searchable: true, searchValue: text, onSearchChange: setText, onChange: go }}
        filter={({ options }) => options}
        nothingFoundMessage={isLoading ? texts.loading : !failure && t.nothing}
        error={failure}
        comboboxProps={{ store, withinPortal: false }}
        {...{ mb: "24rem", maxDropdownHeight: 350, withScrollArea: true }}
      />
    </Dialog>
  );
}
