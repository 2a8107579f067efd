import { Card, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Note } from "../feedback/empty.tsx";

/** As many letters have space in large type. */
const mostLarge = 14;

type FigureProps = Readonly<{ label: ReactNode; value: ReactNode; children?: ReactNode }>;

/** A number that stands out, with what belongs to it. */
export function Figure({ label, value, children }: FigureProps) {
  const isLong = typeof value === "string" && value.length > mostLarge;
  return (
    <Card withBorder padding="sm">
      <Note>{label}</Note>
      <Text fz={isLong ? { base: "sm", sm: "md", lg: "lg" } : "xl"} fw={600} className="wraps">
        {value}
      </Text>
      {children && <Note component="div">{children}</Note>}
    </Card>
  );
}
