import { Card, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** As many letters have space in large type. */
const mostLarge = 14;

type FigureProps = Readonly<{ label: ReactNode; value: ReactNode; children?: ReactNode }>;

/** A number that stands out, with what belongs to it. */
export function Figure({ label, value, children }: FigureProps) {
  const isLong = typeof value === "string" && value.length > mostLarge;
  return (
    <Card withBorder padding="sm">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={isLong ? { base: "sm", sm: "md", lg: "lg" } : "xl"} fw={600} className="wraps">
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
