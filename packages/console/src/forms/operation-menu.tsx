/** A menu of operations on a record. Each opens its form. The menu leaves out what the role may not use. */
import { Menu } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import type { Path, WritePath } from "../api/declarations.ts";
import { notifyFailure, PlainButton } from "../feedback/index.ts";
import { useSession } from "../session/session.tsx";
import { actionText } from "../texts/labels.ts";
import { lookOf, type OperationButtonProps, OperationDialog } from "./operation-button.tsx";

/** An item. It opens the form of its operation, or runs at once. `lang`: the language of the label, if it is another one. */
export type MenuAction = Partial<Omit<OperationButtonProps<WritePath>, "path">> &
  Readonly<{ path?: Path; lang?: string; run?: () => Promise<void> }>;

type Actions = Readonly<{ actions: readonly (MenuAction | WritePath | false)[] }>;
type OperationMenuProps = Actions & Readonly<{ label: ReactNode; header?: ReactNode; button?: object }>;

export function OperationMenu({ label, actions, header, button: look }: OperationMenuProps) {
  const { may } = useSession();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<MenuAction>();
  const allowed = actions.flatMap((one) => {
    const action = typeof one === "string" ? { path: one } : one;
    if (!action || (action.path && !may(action.path))) return [];
    return { ...action, label: action.label ?? actionText(action.path as WritePath) };
  });
  if (allowed.length === 0) return null;
  const choose = (action: MenuAction) => {
    // A dialog gives the focus back to what had it.
    button.current?.focus();
    if (action.run) action.run().catch(notifyFailure);
    else setOpen(action);
  };
  const item = (action: (typeof allowed)[number]) => (
    <Menu.Item
      key={action.label}
      {...(!action.run && { "aria-haspopup": "dialog" })}
      {...{ ...lookOf(action.path), lang: action.lang, onClick: () => choose(action) }}
    >
      {action.label}
    </Menu.Item>
  );
  // What warns comes last.
  const first = allowed.find(({ path }) => lookOf(path));
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <PlainButton {...{ ref: button, ...look, children: label }} />
        </Menu.Target>
        <Menu.Dropdown maw="min(20rem, 90vw)">
          {header}
          {allowed.map((one) => [one === first && <Menu.Divider key="divider" />, item(one)])}
        </Menu.Dropdown>
      </Menu>
      {open && <OperationDialog {...open} path={open.path as WritePath} onClose={() => setOpen(undefined)} />}
    </>
  );
}
