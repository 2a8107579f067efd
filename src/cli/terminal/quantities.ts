/** Numbers, durations and sizes as people read them. */

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
