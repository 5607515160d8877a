const UNITS = ['', 'KB', 'MB', 'GB', 'TB']
const STEP = 1024

/** A number of bytes for people: `1.4 MB`, with one digit below ten. */
export function byteSize(bytes: number, language = 'en'): string {
  let value = bytes
  let unit = 0
  // What would be rounded to 1024 of a unit is 1 of the next one.
  while (Math.round(value) >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit++
  }
  const digits = { maximumFractionDigits: unit > 0 && value < 9.95 ? 1 : 0, useGrouping: false }
  if (unit > 0) return `${new Intl.NumberFormat(language, digits).format(value)} ${UNITS[unit]}`
  return new Intl.NumberFormat(language, { ...digits, style: 'unit', unit: 'byte', unitDisplay: 'long' }).format(value)
}
