/** The colours, and what the person who is signed in can do with the account. */
import { Menu, Text, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useState } from "react";
import { declarationOf } from "../api/declarations.ts";
import { Dialog, notify } from "../feedback/index.ts";
import { OperationMenu } from "../forms/operation-menu.tsx";
import { PasswordForm } from "../session/password-form.tsx";
import { useSession } from "../session/session.tsx";
import { doneText, texts } from "../texts/index.ts";

export function AccountMenu() {
  const { operator, signOut } = useSession();
  const [isChanging, setChanging] = useState(false);
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light") === "dark" ? "light" : "dark";
  const { name, role } = operator;
  const look = { maw: { base: "6rem", xs: "12rem" }, flex: "none", px: "sm", "aria-label": name };
  return (
    <>
      <OperationMenu
        label={<bdi>{name}</bdi>}
        button={look}
        header={
          <Menu.Label>
            <bdi className="wraps">{name}</bdi>
            <div>{texts.roles[role]}</div>
          </Menu.Label>
        }
        actions={[
          { label: texts.shell[scheme], run: async () => setColorScheme(scheme) },
          { label: texts.changePassword.title, run: async () => setChanging(true) },
          { label: texts.shell.signOut, run: signOut },
        ]}
      />
      {isChanging && <ChangePassword name={name} onClose={() => setChanging(false)} />}
    </>
  );
}

const path = "/op/session/change-password";

/** Changes the password of the person who is signed in. Its other sessions end. */
function ChangePassword({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const done = () => {
    notify(doneText(path, declarationOf(path).message));
    onClose();
  };
  return (
    <Dialog title={texts.changePassword.title} onClose={onClose}>
      <Text mb="md">{texts.changePassword.explanation}</Text>
      <PasswordForm path={path} known={{ name }} label={texts.forms.save} onDone={done} />
    </Dialog>
  );
}
