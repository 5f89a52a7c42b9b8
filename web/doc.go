// Package web holds the pages: the viewer, one self-contained file to attach to
// a report, and what the demo serves. Nothing is built: the files in assets are
// what the browser reads, the fonts are embedded so that every machine breaks
// lines alike.
package web
