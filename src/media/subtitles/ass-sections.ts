/** Characters of a line within which the name of a section stands. */
const reach = 80

/**
 * The name of the section of ASS that a line begins, in small letters; undefined where it begins none. Encoded fonts
 * and pictures may look like one: they end at a section that is known.
 */
export function sectionName(line: string, within: string): string | undefined {
  const name = /^\s*\[([^\]]+)\]\s*$/.exec(line.slice(0, reach))?.[1]?.trim().toLowerCase()
  const encoded = within === 'fonts' || within === 'graphics'
  return encoded && name !== undefined && !isKnown(name) ? undefined : name
}

/** Whether a section holds styles. */
export const isOfStyles = (section: string) => /^v4\+{0,2} styles$/.test(section)

const isKnown = (name: string) =>
  isOfStyles(name) || ['script info', 'events', 'fonts', 'graphics'].includes(name)
