/** One search for everything: members, receipts, pages, and what can be added. */
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useLocation } from "wouter";
import { creationOf, declarationOf, type Path } from "../api/declarations.ts";
import { useRead } from "../api/queries.ts";
import type { BusinessData } from "../business.tsx";
import { Dialog } from "../feedback/dialog.tsx";
import { useSession } from "../session/session.tsx";
import { texts } from "../texts/en.ts";
import { useFoundMembers } from "../values/found-members.ts";
import type { Choice } from "../values/references.ts";

const t = texts.search;

/** `pages`: the menu, as addresses with their names. */
type SearchProps = Readonly<{ business: BusinessData | undefined; onClose: () => void }> &
  Readonly<{ pages: readonly (Choice & { needs: Path })[] }>;

export function Search({ business, pages, onClose }: SearchProps) {
  const [, navigate] = useLocation();
  const { may } = useSession();
  const [text, setText] = useState("");
  const [wanted] = useDebouncedValue(text.trim().slice(0, 100), 150);
  const { business_id = 0 } = business ?? {};
  const enabled = business !== undefined && wanted !== "";
  const members = useFoundMembers(wanted, { business_id }, enabled);
  const receipt = { business_id, reference_id: wanted, per_page: 5 };
  const sales = useRead("/op/sales/list", receipt, { enabled }).data?.data ?? [];
  const isNamed = ({ label }: Choice) => label.toLowerCase().includes(wanted.toLowerCase());
  const at = (page: string) => `/${business_id}/${page}`;
  // A page whose records can be added opens the form.
  const actions = pages.flatMap(({ value, needs }) => {
    const path = creationOf(needs);
    const { summary: label } = declarationOf(path ?? needs);
    return path && may(path) ? [{ value: `${value}?new=${Date.now()}`, label }] : [];
  });
  const groups = [
    { group: t.members, items: members.map((one) => ({ ...one, value: at(`members/${one.value}`) })) },
    {
      group: t.sales,
      items: sales.map((one) => ({ value: at(`sales/${one.sale_id}`), label: one.reference_id })),
    },
    { group: t.pages, items: pages.filter(isNamed) },
    { group: t.actions, items: actions.filter(isNamed) },
  ];
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
        nothingFoundMessage={t.nothing}
        dropdownOpened
        selectFirstOptionOnChange
        {...{ mb: "24rem", maxDropdownHeight: 350 }}
        withScrollArea
      />
    </Dialog>
  );
}
