/** A failure, in words that say what to do. */
import { Alert, Button } from "@mantine/core";
import { createContext, type ReactNode, useContext, useEffect } from "react";
import { Rejection } from "../api/client.ts";
import { useMaybeBusiness } from "../business.tsx";
import { failureText, problemText, texts } from "../texts/index.ts";

/** Tells the form around a failure, so that it marks the fields that are named. */
export const FailureInForm = createContext<(error: Error | null) => void>(() => undefined);

const small = { mt: "xs", size: "xs", variant: "default" };

type FailureAlertProps = Readonly<{ error: Error; onRetry?: () => void; children?: ReactNode }>;

export function FailureAlert({ error, onRetry, children }: FailureAlertProps) {
  const business = useMaybeBusiness();
  const tell = useContext(FailureInForm);
  useEffect(() => {
    tell(error);
    return () => tell(null);
  }, [tell, error]);
  const problems = error instanceof Rejection ? error.problems : [];
  return (
    <Alert color="red" role="alert" title={failureText(error, business?.money)} my="sm">
      {problems.map((problem) => (
        <div key={problem.field}>{problemText(problem)}</div>
      ))}
      {error instanceof Rejection && error.requestId !== null && error.status >= 500 && (
        <div>{texts.failure.request(error.requestId)}</div>
      )}
      {children}
      {onRetry && <Button {...{ ...small, onClick: onRetry, children: texts.failure.tryAgain }} />}
    </Alert>
  );
}
