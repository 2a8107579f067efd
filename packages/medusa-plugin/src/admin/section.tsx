/** The frame of a widget: a heading, the link to the console, and rows of a name and a value. */
import { Container, Heading, Text } from "@medusajs/ui";
import type { ReactNode } from "react";

export function Section({ link, children }: Readonly<{ link?: string | null; children: ReactNode }>) {
  return (
    <Container className="divide-y p-0">
      <div className="flex items-center justify-between px-6 py-4">
        <Heading level="h2">Loyalty</Heading>
        {link ? (
          <a href={link} target="_blank" rel="noreferrer" className="txt-small text-ui-fg-interactive">
            Open in the console
          </a>
        ) : null}
      </div>
      {children}
    </Container>
  );
}

export function Row({ name, children }: Readonly<{ name: string; children: ReactNode }>) {
  return (
    <div className="text-ui-fg-subtle grid grid-cols-2 items-center px-6 py-3">
      <Text size="small" weight="plus">
        {name}
      </Text>
      <Text size="small">{children}</Text>
    </div>
  );
}

export function Note({ children }: Readonly<{ children: ReactNode }>) {
  return (
    <Text size="small" className="text-ui-fg-subtle px-6 py-4">
      {children}
    </Text>
  );
}
