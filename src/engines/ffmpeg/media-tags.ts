import * as z from 'zod'
import { parseFfprobe, type ProbeOptions, queryFfprobe, streamTag } from './ffprobe.ts'

/** What a media file states about its content. */
export interface MediaTags {
  readonly title?: string
  readonly artist?: string
  readonly album?: string
  readonly genre?: string
  readonly comment?: string
}

const names = ['title', 'artist', 'album', 'genre', 'comment'] as const

const tagged = z.object({ tags: z.record(z.string().max(200), z.string()).default({}) })
const tagsOutput = z.object({
  streams: z.array(tagged).max(200).default([]),
  format: tagged.default({ tags: {} }),
})

/** Longest tag that is kept, characters. */
const maxTagLength = 1000

/** Reads the tags of a media file. Ogg files have them in their stream. Throws 6017 if the file is not readable. */
export async function readMediaTags(path: string, options: ProbeOptions = {}): Promise<MediaTags> {
  const list = names.join(',')
  const entries = `format_tags=${list}:stream_tags=${list}`
  const { text } = await queryFfprobe(path, ['-show_entries', entries], options)
  const { format, streams } = parseFfprobe(tagsOutput, text)
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = [format, ...streams].map((one) => streamTag(one, name)).find((tag) => tag?.trim())
      return value === undefined ? [] : [[name, value.slice(0, maxTagLength)] as const]
    }),
  )
}
