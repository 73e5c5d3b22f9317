/** Characters of a line within which the name of a section stands. */
const maxSectionNameLength = 80

/**
 * The name of the section of ASS that a line begins, in small letters; undefined where it begins none. Encoded fonts
 * and pictures may look like one: they end at a section that is known.
 */
export function sectionName(line: string, within: string): string | undefined {
  const name = /^\s*\[([^\]]+)\]\s*$/.exec(line.slice(0, maxSectionNameLength))?.[1]?.trim().toLowerCase()
  const encoded = within === 'fonts' || within === 'graphics'
  return encoded && name !== undefined && !isKnownSection(name) ? undefined : name
}

/** Whether a section holds styles. */
export const isStyleSection = (section: string) => /^v4\+{0,2} styles$/.test(section)

const isKnownSection = (name: string) =>
  isStyleSection(name) || ['script info', 'events', 'fonts', 'graphics'].includes(name)
