// Package broken has receivers that are wrong in a way that only a real database
// shows: locks that are held while others wait for them. What a model's store does
// in one piece cannot deadlock; see scenarios/broken for the rest.
package broken
