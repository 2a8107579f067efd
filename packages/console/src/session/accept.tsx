/** The page of an invitation: it sets the first password. The token is in the fragment, which browsers don't send. */
import { Alert, Anchor, Button, PasswordInput, Stack, Text } from "@mantine/core";
import { type SubmitEvent, useEffect, useState } from "react";
import { Rejection, send } from "../api/client.ts";
import { basePath } from "../api/place.ts";
import { FailureAlert } from "../feedback/failure.tsx";
import { texts } from "../texts/en.ts";
import { EntryPage } from "./sign-in.tsx";

const home = `${basePath}/console/`;

export function Accept() {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("token") ?? "");
  const [password, setPassword] = useState("");
  const [state, setState] = useState<"sending" | Error>();
  // The history should not keep the token.
  useEffect(() => history.replaceState(null, "", location.pathname), []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setState("sending");
    send("/op/operators/accept", { token, password }).then(() => location.replace(home), setState);
  };
  const problem =
    state instanceof Rejection ? state.problems.find(({ field }) => field === "password") : undefined;
  if (token === "") {
    return (
      <EntryPage title={texts.accept.title}>
        <Alert color="red" variant="light">
          {texts.accept.noToken}
        </Alert>
        <Anchor href={home} mt="md" display="block">
          {texts.signIn.submit}
        </Anchor>
      </EntryPage>
    );
  }
  return (
    <EntryPage title={texts.accept.title}>
      <form onSubmit={submit}>
        <Stack>
          <Text>{texts.accept.explanation}</Text>
          {state instanceof Error && problem === undefined && <FailureAlert error={state} />}
          <PasswordInput
            label={texts.accept.password}
            description={texts.accept.passwordRules}
            autoComplete="new-password"
            required
            autoFocus
            minLength={8}
            maxLength={128}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={problem?.message}
            visibilityToggleButtonProps={{ "aria-label": texts.signIn.showPassword }}
          />
          <Button type="submit" loading={state === "sending"}>
            {texts.accept.submit}
          </Button>
        </Stack>
      </form>
    </EntryPage>
  );
}
