const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']
const STEP = 1024

/** A number of bytes for people: `1.4 MB`, with one digit below ten. */
export function byteSize(bytes: number): string {
  if (bytes === 1) return '1 byte'
  let value = bytes
  let unit = 0
  // What would be rounded to 1024 of a unit is 1 of the next one.
  while (Math.round(value) >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit++
  }
  const amount = unit > 0 && value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value))
  return `${amount} ${UNITS[unit]}`
}
