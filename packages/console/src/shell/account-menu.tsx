/** The colours, and what the person who is signed in can do with the account. */
import { Button, Menu, Text, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useRef, useState } from "react";
import { declarationOf } from "../api/declarations.ts";
import { Dialog, notify } from "../feedback/index.ts";
import { PasswordForm } from "../session/password-form.tsx";
import { useSession } from "../session/session.tsx";
import { texts } from "../texts/en.ts";

export function AccountMenu() {
  const { operator, signOut } = useSession();
  const [isChanging, setChanging] = useState(false);
  const { setColorScheme } = useMantineColorScheme();
  const button = useRef<HTMLButtonElement>(null);
  const change = () => {
    // The dialog gives the focus back to what had it.
    button.current?.focus();
    setChanging(true);
  };
  const isDark = useComputedColorScheme("light") === "dark";
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            ref={button}
            variant="default"
            ml="auto"
            maw={{ base: "6rem", xs: "12rem" }}
            flex="none"
            px="sm"
            aria-label={operator.name}
          >
            <Text span inherit truncate>
              <bdi>{operator.name}</bdi>
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown maw="min(20rem, 90vw)">
          <Menu.Label>
            <Text component="bdi" size="sm" className="wraps" c="var(--mantine-color-text)">
              {operator.name}
            </Text>
            <div>{texts.roles[operator.role]}</div>
          </Menu.Label>
          <Menu.Item onClick={() => setColorScheme(isDark ? "light" : "dark")}>
            {isDark ? texts.shell.light : texts.shell.dark}
          </Menu.Item>
          <Menu.Item onClick={change}>{texts.changePassword.title}</Menu.Item>
          <Menu.Item onClick={() => void signOut()}>{texts.shell.signOut}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isChanging && <ChangePassword name={operator.name} onClose={() => setChanging(false)} />}
    </>
  );
}

const path = "/op/session/change-password";

/** Changes the password of the person who is signed in. Its other sessions end. */
function ChangePassword({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const done = () => {
    notify(declarationOf(path).message);
    onClose();
  };
  return (
    <Dialog title={texts.changePassword.title} onClose={onClose}>
      <Text mb="md">{texts.changePassword.explanation}</Text>
      <PasswordForm path={path} known={{ name }} label={texts.forms.save} onDone={done} />
    </Dialog>
  );
}
