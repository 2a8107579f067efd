/** The colours, and what the person who is signed in can do with the account. */
import { Menu, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useState } from "react";
import { notify } from "../feedback/index.ts";
import { OperationMenu } from "../forms/operation-menu.tsx";
import { PasswordDialog, useSession } from "../session/session.tsx";
import { choiceText, doneText, languageChoices, texts } from "../texts/index.ts";

const path = "/op/session/change-password";

export function AccountMenu() {
  const { operator, signOut } = useSession();
  const [isChanging, setChanging] = useState(false);
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light") === "dark" ? "light" : "dark";
  const { name, role } = operator;
  const onClose = () => setChanging(false);
  const look = { maw: { base: "6rem", xs: "12rem" }, flex: "none", px: "sm", "aria-label": name };
  return (
    <>
      <OperationMenu
        label={<bdi>{name}</bdi>}
        button={look}
        header={
          <Menu.Label>
            <bdi className="wraps">{name}</bdi>
            <div>{choiceText(role)}</div>
          </Menu.Label>
        }
        actions={[
          { label: texts.shell[scheme], run: async () => setColorScheme(scheme) },
          ...languageChoices(true),
          { label: texts.changePassword.title, run: async () => setChanging(true) },
          { label: texts.shell.signOut, run: signOut },
        ]}
      />
      {isChanging && (
        <PasswordDialog
          {...{ ...texts.changePassword, path, known: { name }, label: texts.forms.save, onClose }}
          onDone={() => {
            notify(doneText(path));
            onClose();
          }}
        />
      )}
    </>
  );
}
