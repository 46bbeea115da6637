call rival.consume();
