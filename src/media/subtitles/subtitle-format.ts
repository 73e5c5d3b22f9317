import { MediaError } from '../../contract/errors.ts'
import { extensionOf } from '../../contract/file-kind.ts'

/** Returns the format of a subtitle file by its extension. Throws 6014 for others than .srt and .ass. */
export function subtitleFormat(name: string, field: string): 'srt' | 'ass' {
  const extension = extensionOf(name)
  if (extension === '.srt' || extension === '.ass') return extension === '.srt' ? 'srt' : 'ass'
  throw new MediaError(6014, `${field}: ${name} is not .srt or .ass`, {
    hint: 'Convert it first, for example with ffmpeg -i old.vtt new.srt',
  })
}
