import type { PictureStream } from '../../src/engines/ffmpeg/picture-stream.ts'

/** What goes with a picture and ends when it is coded anew, by ffprobe's names for it. */
const ends: Readonly<Record<string, string>> = {
  'ATSC A53 Part 4 Closed Captions': 'the captions inside the picture (CEA-608/708) were left out',
  'Spherical Mapping': 'the mark of a 360° picture was left out: players show it flat',
  'Stereo 3D': 'the mark of a stereoscopic picture was left out: players show it as it is coded',
}

/** What a new picture of a video lacks, in sentences. */
export function lostOf({ sides }: Pick<PictureStream, 'sides'>): readonly string[] {
  return Object.entries(ends).flatMap(([type, sentence]) => (sides.includes(type) ? [sentence] : []))
}
