/** A form that asks for a name and a password, or for a password alone. */
import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";
import { send } from "../api/client.ts";
import { FailureAlert } from "../feedback/failure.tsx";
import { texts } from "../texts/en.ts";
import type { SessionData } from "./operator.ts";

interface CredentialsFormProps {
  /** The name of the account, if it is known. */
  readonly name?: string;
  readonly label: string;
  readonly onSignedIn: (session: SessionData) => void;
}

export function CredentialsForm({ name: known, label, onSignedIn }: CredentialsFormProps) {
  const [name, setName] = useState(known ?? "");
  const [password, setPassword] = useState("");
  const [state, setState] = useState<"sending" | Error>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setState("sending");
    send<{ data: SessionData }>("/op/session/create", { name, password }).then(
      ({ data }) => onSignedIn(data),
      setState,
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {state instanceof Error && <FailureAlert error={state} />}
        <TextInput
          label={texts.signIn.name}
          autoComplete="username"
          required
          readOnly={known !== undefined}
          autoFocus={known === undefined}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label={texts.signIn.password}
          autoComplete="current-password"
          required
          autoFocus={known !== undefined}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ "aria-label": texts.signIn.showPassword }}
        />
        <Button type="submit" loading={state === "sending"}>
          {label}
        </Button>
      </Stack>
    </form>
  );
}
