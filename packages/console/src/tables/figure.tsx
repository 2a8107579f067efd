import { Card, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface FigureProps {
  readonly label: ReactNode;
  readonly value: ReactNode;
  readonly children?: ReactNode;
}

/** A number that stands out, with what belongs to it. */
export function Figure({ label, value, children }: FigureProps) {
  return (
    <Card withBorder padding="sm">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={600} className="wraps">
        {value}
      </Text>
      {children && (
        <Text component="div" size="sm" c="dimmed">
          {children}
        </Text>
      )}
    </Card>
  );
}
