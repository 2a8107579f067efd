/** Numbers, durations, sizes and amounts of money as people read them. */

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });

export function numberText(number: number): string {
  return grouped.format(number);
}

/** 1 d 2 h, 3 min 20 s, 45 s, 0.8 s. */
export function durationText(seconds: number): string {
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`;
  const whole = Math.round(seconds);
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor(whole / 3600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
}

export function byteText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, bytes === 0 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${numberText(Math.round((bytes / 1000 ** power) * 10) / 10)} ${units[power]}`;
}

/** Writes an amount in minor units as people do: 125000 is 1,250.00. */
export function majorText(amount: bigint | number, decimals: number): string {
  const sign = amount < 0 ? "-" : "";
  const digits = String(amount)
    .replace("-", "")
    .padStart(decimals + 1, "0");
  const whole = sign + BigInt(digits.slice(0, digits.length - decimals)).toLocaleString("en-US");
  return decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
}
