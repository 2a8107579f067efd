/** The form of an operation on sessions: it asks for a name and passwords. */
import { Button, Card, Center, Group, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useState } from "react";
import { type DataOf, outlineOf, type PathOf, Rejection, send } from "../api/index.ts";
import { Dialog, type DialogProps, FailureAlert, Note, useDialog } from "../feedback/index.ts";
import { languageChoices, problemText, texts } from "../texts/index.ts";

export type SessionData = DataOf<"/op/session/get">;

/** `known`: the name of the account, or the token of an invitation. */
type PasswordFormProps = Readonly<{ path: PathOf<"session">; label: string }> &
  Readonly<{ known?: Readonly<Record<string, string>>; onDone: (session: SessionData) => void }>;

export function PasswordForm({ path, known = {}, label, onDone }: PasswordFormProps) {
  const [values, setValues] = useState(known);
  const [state, setState] = useState<"sending" | Error>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setState("sending");
    send<{ data: SessionData }>(path, values).then(({ data }) => onDone(data), setState);
  };
  const problems = state instanceof Rejection ? state.problems : [];
  const names = outlineOf(path).takes.filter((name) => name !== "token");
  const newest = path === "/op/operators/accept" ? "password" : "new_password";
  const { note } = useDialog();
  const t = texts.credentials;
  const inputProps = (name: string) => ({
    label: name === "password" && names.includes("new_password") ? t.current : t[name as "password"],
    required: true,
    autoFocus: name === names.find((one) => known[one] === undefined),
    readOnly: known[name] !== undefined,
    autoComplete: name === "name" ? "username" : name === newest ? "new-password" : "current-password",
    ...(name === newest && { description: t.rules, minLength: 8, maxLength: 128 }),
    error: problems.filter(({ field }) => field === name).map((problem) => problemText(problem))[0],
    value: values[name] ?? "",
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement }) =>
      setValues((others) => ({ ...others, [name]: value })),
  });
  return (
    <form onSubmit={submit} onInput={() => note(true)}>
      <Stack>
        {state instanceof Error && problems.length === 0 && <FailureAlert error={state} />}
        {names.map((name) => {
          const Input = name === "name" ? TextInput : PasswordInput;
          return <Input key={name} {...inputProps(name)} />;
        })}
        <Button {...{ type: "submit", loading: state === "sending", children: label }} />
      </Stack>
    </form>
  );
}

export function SignIn({ onSignedIn }: { readonly onSignedIn: (session: SessionData) => void }) {
  return (
    <EntryPage title={texts.signIn.title}>
      <PasswordForm path="/op/session/create" label={texts.signIn.submit} onDone={onSignedIn} />
      <Note mt="md">{texts.signIn.noAccount}</Note>
    </EntryPage>
  );
}

type PasswordDialogProps = PasswordFormProps &
  Pick<DialogProps, "zIndex" | "closeLabel" | "asks"> &
  Readonly<{ title: string; explanation: string; onClose: () => void }>;

export function PasswordDialog(props: PasswordDialogProps) {
  const { title, explanation, path, known = {}, label, onDone, ...dialog } = props;
  return (
    <Dialog title={title} {...dialog}>
      <Text mb="md">{explanation}</Text>
      <PasswordForm {...{ path, known, label, onDone }} />
    </Dialog>
  );
}

/** A card in the middle of an empty page. */
export function EntryPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Center mih="100dvh" p="md" component="main">
      <Card withBorder padding="xl" w="100%" maw={400}>
        <Title {...{ order: 1, size: "h3", mb: "md", className: "wraps", lineClamp: 3, children: title }} />
        {children}
        <Group mt="md" gap={0}>
          {languageChoices(false).map(({ lang, label, run }) => (
            <Button
              key={lang}
              {...{ lang, size: "compact-sm", variant: "subtle", onClick: run, children: label }}
            />
          ))}
        </Group>
      </Card>
    </Center>
  );
}
