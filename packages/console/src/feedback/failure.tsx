/** A failure, in words that say what to do. */
import { Alert, Button, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { NoResponse, Rejection } from "../api/client.ts";
import { texts } from "../texts/en.ts";

type FailureAlertProps = Readonly<{ error: Error; onRetry?: () => void; children?: ReactNode }>;

export function FailureAlert({ error, onRetry, children }: FailureAlertProps) {
  return (
    <Alert color="red" role="alert" title={failureText(error)} my="sm">
      {error instanceof Rejection && error.requestId !== null && error.status >= 500 && (
        <Text size="sm">{texts.failure.request(error.requestId)}</Text>
      )}
      {children}
      {onRetry && (
        <Button mt="xs" size="xs" variant="default" onClick={onRetry}>
          {texts.failure.tryAgain}
        </Button>
      )}
    </Alert>
  );
}

export function failureText(error: Error): string {
  if (error instanceof NoResponse) return texts.failure.noResponse;
  if (!(error instanceof Rejection)) return texts.failure.unexpected;
  const own = texts.errors as Readonly<Record<string, string | undefined>>;
  return own[error.code] ?? error.message;
}
