const syllables = [
  'ba',
  'ko',
  'mi',
  'tu',
  're',
  'sa',
  'no',
  'li',
  'pe',
  'du',
  'fa',
  'go',
  'wi',
  'hu',
  'ze',
  'ja',
]

/** A word of its own for each number below 4096. */
export function wordOf(number: number): string {
  const scrambled = (number * 1597) % 4096
  return [scrambled >> 8, (scrambled >> 4) % 16, scrambled % 16].map((index) => syllables[index]).join('')
}
