/** Which columns a table shows. A person can choose others, which this browser keeps. */
import { Button, Menu } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useContext } from "react";
import type { Fields } from "../api/declarations.ts";
import { PageRecord } from "../business.tsx";
import { useSession } from "../session/session.tsx";
import { labelOf, texts } from "../texts/index.ts";

type Columns = Readonly<{ declared: readonly string[]; own: readonly string[] | undefined }>;

/** @param columns those that are declared, and those of the page */
export function useColumns(path: string, fields: Fields, { declared, own }: Columns) {
  const { operator_id } = useSession().operator;
  const { number = {} } = useContext(PageRecord);
  // The numbers of the record and of the business say nothing to people, nor do those of the page. The kind of an entry has its reason.
  const silent = [Object.keys(fields)[0], "business_id", "event_type" in fields && "reason"];
  const says = (name: string) => !silent.includes(name);
  const usual = (own ?? declared.filter(says)).filter((name) => !(name in number));
  const labels = usual.map((name) => labelOf(name));
  const others = Object.keys(fields).filter(
    (name) => says(name) && !/array|object/.test(fields[name]?.type ?? "") && !labels.includes(labelOf(name)),
  );
  const all = [...usual, ...others];
  const key = [`loyalty-console-columns ${operator_id} ${path}`, ...Object.keys(number)].join(" ");
  // Its own default would be stored: a later page with other usual columns would not show them.
  const [kept, choose] = useLocalStorage<readonly string[]>({ key, getInitialValueInEffect: false });
  const chosen = kept ?? usual;
  const shown = all.filter((name) => chosen.includes(name));
  const menu = (
    <Menu closeOnItemClick={false} position="top-start">
      <Menu.Target>
        <Button {...{ size: "compact-sm", variant: "subtle", children: texts.tables.columns }} />
      </Menu.Target>
      <Menu.Dropdown mah="60vh" style={{ overflowY: "auto" }}>
        <Menu.CheckboxGroup value={shown} onChange={(names) => names.length > 0 && choose(names)}>
          {all.map((name) => (
            <Menu.CheckboxItem key={name} value={name}>
              {labelOf(name)}
            </Menu.CheckboxItem>
          ))}
        </Menu.CheckboxGroup>
      </Menu.Dropdown>
    </Menu>
  );
  return { shown, menu };
}
