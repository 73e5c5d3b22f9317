import type { ProjectFileFormat, ProjectFormat } from '../../../contract/project.ts'
import {
  type DraftEditor,
  draftContentFile,
  draftMetaFile,
  writeDraftContent,
  writeDraftMeta,
} from './draft.ts'
import { writeFcpxml } from './fcpxml.ts'
import { writeOtio } from './otio.ts'
import type { Project } from './project.ts'
import { writeGtrk } from './write-gtrk.ts'
import { writeXmeml } from './xmeml.ts'

/** A project file to store. */
export interface ProjectFile {
  readonly format: ProjectFileFormat
  readonly filename: string
  readonly text: string
}

export interface ProjectFileOptions {
  /** Folder of the editor's drafts on the user's machine; without it drafts have no meta file. */
  readonly draftDir?: string | undefined
  /** Time of creation, microseconds since 1970. */
  readonly createdAt: number
  readonly newId: () => string
}

/** Returns the files of a project in one format: one, or two for a draft with its meta file. */
export function projectFiles(
  project: Project,
  format: ProjectFormat,
  options: ProjectFileOptions,
): readonly ProjectFile[] {
  const { name } = project
  switch (format) {
    case 'xml':
      return [{ format, filename: `${name}.xml`, text: writeXmeml(project) }]
    case 'fcpxml':
      return [{ format, filename: `${name}.fcpxml`, text: writeFcpxml(project) }]
    case 'otio':
      return [{ format, filename: `${name}.otio`, text: writeOtio(project) }]
    case 'gtrk':
      return [{ format, filename: `${name}.gtrk`, text: writeGtrk(project) }]
    default:
      return draftFiles(project, format, options)
  }
}

/** Returns the files of a draft. Their names are fixed, as the editor reads no other ones. */
function draftFiles(
  project: Project,
  editor: DraftEditor,
  { draftDir, createdAt, newId }: ProjectFileOptions,
): readonly ProjectFile[] {
  const content: ProjectFile = {
    format: `${editor}_draft`,
    filename: draftContentFile(editor),
    text: writeDraftContent(project, { editor, newId }),
  }
  if (draftDir === undefined) return [content]
  const text = writeDraftMeta(project, { editor, newId, draftDir, createdAt })
  return [content, { format: `${editor}_meta`, filename: draftMetaFile, text }]
}
