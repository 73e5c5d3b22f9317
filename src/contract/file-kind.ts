// No schemas here: threads that read media import this file without loading zod.

/** Accepted file extensions by kind (contract 1, 4.1; text: docs/contract.md). */
export const extensionsByKind = {
  image: ['.jpg', '.jpeg', '.png', '.webp', '.bmp'],
  audio: ['.mp3', '.wav', '.m4a', '.aac', '.flac', '.ogg'],
  video: ['.mp4', '.mov', '.avi', '.mkv', '.flv', '.webm'],
  text: ['.srt', '.ass', '.vtt', '.txt', '.html', '.json', '.gtrk'],
  midi: ['.mid'],
} as const

export type FileKind = keyof typeof extensionsByKind

/** All kinds of files. */
export const fileKinds = Object.keys(extensionsByKind) as readonly FileKind[]

/** Lists the extensions of some kinds, as the hint of an error. */
export function supportedHint(kinds: readonly FileKind[] = fileKinds): string {
  return `Supported: ${kinds.flatMap((kind) => extensionsByKind[kind]).join(' ')}`
}

const kindByExtension = new Map<string, FileKind>(
  Object.entries(extensionsByKind).flatMap(([kind, extensions]) =>
    extensions.map((extension) => [extension, kind as FileKind] as const),
  ),
)

/** Extension of a file name, in lower case and with its dot; empty without one. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot).toLowerCase() : ''
}

/** Kind of an extension; undefined for a type that is not accepted. */
export function kindOf(extension: string): FileKind | undefined {
  return kindByExtension.get(extension)
}
