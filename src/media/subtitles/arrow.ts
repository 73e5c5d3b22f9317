/** What would begin another entry of SRT or VTT; tried once for each row of dashes, however long. */
export const cueArrow = /(?<!-)-{2,}>/g
